# SPDX-License-Identifier: Apache-2.0
"""A while loop that asks a nested function for its step and stops early, with validation every 10 steps."""
import torch
from own_clock import Clock, arguments

args = arguments(60)
clock = Clock(args.device)


def fit(model, train, held_out):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=args.steps + 1)
    state = {"best": float("inf"), "bad": 0, "step": 0}

    def one_step():
        index = torch.randint(0, len(train[0]), (128,))
        loss = torch.nn.functional.mse_loss(model(train[0][index]), train[1][index])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        state["step"] += 1

    def validate():
        model.eval()
        with torch.inference_mode():
            loss = torch.nn.functional.mse_loss(model(held_out[0]), held_out[1]).item()
        model.train()
        state["bad"] = 0 if loss < state["best"] else state["bad"] + 1
        state["best"] = min(state["best"], loss)

    while state["bad"] < 1000 and state["step"] < args.steps:
        clock.tick()
        one_step()
        if state["step"] % 10 == 0:
            validate()
            print(f"\rstep {state['step']:>4} best {state['best']:.4f}", end="", flush=True)
    print()


data = torch.randn(4096, 256, device=args.device)
target = data[:, :1].sin()
net = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.GELU(), torch.nn.Dropout(0.1), torch.nn.Linear(512, 1)).to(args.device)
fit(net, (data[:3000], target[:3000]), (data[3000:], target[3000:]))
clock.done()
