# SPDX-License-Identifier: Apache-2.0
"""JAX: ten updates a call inside lax.scan, parameters and optimizer state donated; the host reads one loss a chunk."""
import functools
import os

from own_clock import Clock, arguments

args = arguments(80)
if args.device == "cpu":
    os.environ["JAX_PLATFORMS"] = "cpu"
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402

WIDTH, ROWS, INNER, LAYERS = (1024, 4096, 10, 3) if args.device == "cuda" else (32, 32, 4, 2)


def initial(key):
    sizes = [128, *[WIDTH] * LAYERS, 16]
    keys = jax.random.split(key, len(sizes))
    return [{"w": jax.random.normal(k, (a, b)) * (2 / a) ** 0.5, "b": jnp.zeros(b)} for k, a, b in zip(keys, sizes, sizes[1:])]


def loss_of(parameters, batch):
    hidden, labels = batch
    for layer in parameters[:-1]:
        hidden = jax.nn.silu(hidden @ layer["w"] + layer["b"])
    logits = hidden @ parameters[-1]["w"] + parameters[-1]["b"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-3, 20, 10 * args.steps + 21)
optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule))


@functools.partial(jax.jit, donate_argnums=(0, 1))
def train_chunk(parameters, state, chunk):
    def update(carry, batch):
        parameters, state = carry
        loss, gradients = jax.value_and_grad(loss_of)(parameters, batch)
        updates, state = optimizer.update(gradients, state, parameters)
        return (optax.apply_updates(parameters, updates), state), loss

    (parameters, state), losses = jax.lax.scan(update, (parameters, state), chunk)
    return parameters, state, losses


parameters = initial(jax.random.key(0))
state = optimizer.init(parameters)
rng = np.random.default_rng(0)
store = rng.standard_normal((8 * ROWS, 128), dtype=np.float32)
answers = (store[:, :16].argmax(1)).astype(np.int32)
smoothed = None
clock = Clock("cpu")
for chunk_number in clock.steps(args.steps):
    rows = rng.integers(0, len(store), size=(INNER, ROWS))
    parameters, state, losses = train_chunk(parameters, state, (store[rows], answers[rows]))
    last = float(losses[-1])
    smoothed = last if smoothed is None else 0.9 * smoothed + 0.1 * last
clock.done()
print("loss", smoothed)
