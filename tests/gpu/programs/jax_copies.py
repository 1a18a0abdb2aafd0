# SPDX-License-Identifier: Apache-2.0
"""jax_copies STEPS: a jitted training step whose command buffer copies on the device, as those of Keras on JAX do.

State goes in and comes out unchanged, not donated, so XLA copies it; new buffers each step, so each launch updates the
graph's nodes. Prints the loss; its last line is JSON.
"""
import json
import sys

import jax
import jax.numpy as jnp


@jax.jit
def train_step(state, batch, labels):
    def loss_of(weights):
        hidden = jax.nn.relu(batch @ weights["a"] + weights["b"])
        return jnp.mean((hidden @ weights["c"] - labels) ** 2)

    loss, slopes = jax.value_and_grad(loss_of)(state["weights"])
    weights = jax.tree.map(lambda w, g: w - 1e-3 * g, state["weights"], slopes)
    # Twice the same value is two buffers: XLA copies. A barrier keeps JAX from handing the input on.
    kept = jax.lax.optimization_barrier(state["kept"])
    return {"weights": weights, "kept": kept, "again": weights["a"], "step": state["step"] + 1}, loss


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    keys = jax.random.split(jax.random.key(0), 4)
    weights = {"a": jax.random.normal(keys[0], (64, 512)), "b": jnp.zeros(512), "c": jax.random.normal(keys[1], (512, 10))}
    state = {"weights": weights, "kept": [jnp.full(17 + i, 1.0) for i in range(5)], "again": weights["a"], "step": jnp.int32(0)}
    batch, labels = jax.random.normal(keys[2], (32, 64)), jax.random.normal(keys[3], (32, 10))
    older = []  # keeps buffers alive for some steps, so that addresses change
    for _ in range(steps):
        state, loss = train_step(state, batch, labels)
        older = [*older[-2:], state]
    jax.block_until_ready(state)
    kept = all(bool((value == 1).all()) for value in state["kept"])
    print(json.dumps({"steps": int(state["step"]), "loss": float(loss), "kept": kept}))
    return 0 if kept and int(state["step"]) == steps else 3


if __name__ == "__main__":
    sys.exit(main())
