# SPDX-License-Identifier: Apache-2.0
"""Stable-Baselines3: PPO on a gymnasium environment; an update of the policy is a step of its loop."""
import gymnasium
import torch
from own_clock import Clock, arguments
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

args = arguments(12)
clock = Clock(args.device)


class Ticks(BaseCallback):
    def _on_rollout_start(self):
        clock.tick()

    def _on_step(self):
        return True


torch.set_num_threads(1)
model = PPO("MlpPolicy", gymnasium.make("CartPole-v1"), n_steps=256, batch_size=64, n_epochs=4, device=args.device, seed=1)
model.learn(total_timesteps=256 * args.steps, callback=Ticks())
clock.done(inner=16)
