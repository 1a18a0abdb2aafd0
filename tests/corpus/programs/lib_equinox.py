# SPDX-License-Identifier: Apache-2.0
"""equinox with a filtered jit; on a GPU only, for XLA records nothing on a CPU."""
import sys

import equinox
import jax
import jax.numpy as jnp
import optax
from own_clock import Clock, arguments

args = arguments(300)
if args.device != "cuda":
    sys.exit(77)
model = equinox.nn.MLP(64, 64, 512, 3, key=jax.random.key(0))
optimizer = optax.sgd(1e-2)
state = optimizer.init(equinox.filter(model, equinox.is_array))


@equinox.filter_jit
def train_step(model, state, inputs):
    loss, gradients = equinox.filter_value_and_grad(lambda m: (jax.vmap(m)(inputs) - inputs).__pow__(2).mean())(model)
    updates, state = optimizer.update(gradients, state)
    return equinox.apply_updates(model, updates), state, loss


inputs = jnp.ones((512, 64))
clock = Clock("cpu")
for step in clock.steps(args.steps):
    model, state, loss = train_step(model, state, inputs)
    loss.block_until_ready()
clock.done()
