# SPDX-License-Identifier: Apache-2.0
"""flax.nnx: a small convolutional network; on a GPU only, for XLA records nothing on a CPU."""
import sys

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from own_clock import Clock, arguments

args = arguments(300)
if args.device != "cuda":
    sys.exit(77)


class Net(nnx.Module):
    def __init__(self, rngs):
        self.conv = nnx.Conv(3, 16, (3, 3), rngs=rngs)
        self.head = nnx.Linear(16, 10, rngs=rngs)

    def __call__(self, images):
        return self.head(nnx.relu(self.conv(images)).mean((1, 2)))


model = Net(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)


@nnx.jit
def train_step(model, optimizer, images, labels):
    def loss_of(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(images), labels).mean()

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    return loss


images = jax.random.normal(jax.random.key(1), (64, 32, 32, 3))
labels = jnp.arange(64) % 10
clock = Clock("cpu")
for step in clock.steps(args.steps):
    loss = train_step(model, optimizer, images, labels)
    loss.block_until_ready()
clock.done()
