# SPDX-License-Identifier: Apache-2.0
"""A training step jitted by JAX, with optax; on a GPU only, for XLA records nothing on a CPU."""
import sys

import jax
import jax.numpy as jnp
import optax
from own_clock import Clock, arguments

args = arguments(1000)
if args.device != "cuda":
    sys.exit(77)
sizes = [256, 1024, 1024, 256]
keys = jax.random.split(jax.random.key(0), 4)
weights = [jax.random.normal(k, (a, b)) / a**0.5 for k, a, b in zip(keys, sizes, sizes[1:])]
optimizer = optax.adamw(1e-3)
state = optimizer.init(weights)


def loss_of(weights, inputs):
    hidden = inputs
    for matrix in weights[:-1]:
        hidden = jax.nn.gelu(hidden @ matrix)
    return ((hidden @ weights[-1] - inputs) ** 2).mean()


@jax.jit
def train_step(weights, state, inputs):
    loss, gradients = jax.value_and_grad(loss_of)(weights, inputs)
    updates, state = optimizer.update(gradients, state, weights)
    return optax.apply_updates(weights, updates), state, loss


inputs = jax.random.normal(keys[3], (1024, 256))
clock = Clock("cpu")
for step in clock.steps(args.steps):
    weights, state, loss = train_step(weights, state, inputs)
loss.block_until_ready()
clock.done()
