# SPDX-License-Identifier: Apache-2.0
"""NumPyro: a Bayesian network fitted by stochastic variational inference, updated in a loop of its own."""
import os

from own_clock import Clock, arguments

args = arguments(150)
if args.device == "cpu":
    os.environ["JAX_PLATFORMS"] = "cpu"
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpyro  # noqa: E402
import numpyro.distributions as dist  # noqa: E402
from numpyro.infer import SVI, Trace_ELBO  # noqa: E402
from numpyro.infer.autoguide import AutoNormal  # noqa: E402

ROWS, FEATURES, HIDDEN = (200_000, 64, 512) if args.device == "cuda" else (500, 8, 16)


def model(inputs, answers=None):
    first = numpyro.sample("first", dist.Normal(0, FEATURES**-0.5).expand([FEATURES, HIDDEN]).to_event(2))
    second = numpyro.sample("second", dist.Normal(0, HIDDEN**-0.5).expand([HIDDEN, HIDDEN]).to_event(2))
    last = numpyro.sample("last", dist.Normal(0, HIDDEN**-0.5).expand([HIDDEN]).to_event(1))
    noise = numpyro.sample("noise", dist.HalfNormal(1.0))
    mean = jnp.tanh(jnp.tanh(inputs @ first) @ second) @ last
    with numpyro.plate("rows", inputs.shape[0]):
        numpyro.sample("answers", dist.Normal(mean, noise), obs=answers)


inputs = jax.random.normal(jax.random.key(0), (ROWS, FEATURES))
answers = jnp.sin(inputs[:, 0]) + 0.1 * jax.random.normal(jax.random.key(1), (ROWS,))
svi = SVI(model, AutoNormal(model), numpyro.optim.ClippedAdam(1e-3), Trace_ELBO(num_particles=2))
state = svi.init(jax.random.key(2), inputs, answers)
update = jax.jit(svi.update)
window = []
clock = Clock("cpu")
for step in clock.steps(args.steps):
    state, loss = update(state, inputs, answers)
    window.append(loss)
    if len(window) == 10:
        print(f"step {step + 1}: elbo {-float(jnp.stack(window).mean()):.1f}")
        window.clear()
jax.block_until_ready(state)
clock.done()
print("noise", float(jnp.exp(svi.get_params(state)["noise_auto_loc"])))
