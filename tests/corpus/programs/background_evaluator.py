# SPDX-License-Identifier: Apache-2.0
"""Training goes on while a thread evaluates snapshots of the model, on a stream of its own."""
import contextlib
import copy
import queue
import threading

import torch
from own_clock import Clock, arguments
from torch import nn
from torch.nn import functional as F

args = arguments(200)
on_gpu = args.device == "cuda"
torch.manual_seed(0)
BATCH, LENGTH, WIDTH, WORDS = (64, 128, 512, 4000) if on_gpu else (4, 12, 16, 50)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.convolutions = nn.ModuleList(nn.Conv1d(WIDTH, 2 * WIDTH, 5, padding=2) for _ in range(4))
        self.head = nn.Linear(WIDTH, 32)

    def forward(self, tokens):
        hidden = self.words(tokens).transpose(1, 2)
        for convolution in self.convolutions:
            hidden = hidden + F.glu(convolution(hidden), dim=1)
        return self.head(hidden.transpose(1, 2))


class Evaluator(threading.Thread):
    def __init__(self, model):
        super().__init__(name="evaluator", daemon=True)
        self.model, self.inbox, self.scores = copy.deepcopy(model).eval(), queue.Queue(), []
        self.held_out = torch.randint(0, WORDS, (6, BATCH, LENGTH), device=args.device)
        self.stream = torch.cuda.Stream() if on_gpu else None

    def run(self):
        while (message := self.inbox.get()) is not None:
            step, snapshot, ready = message
            with torch.cuda.stream(self.stream) if on_gpu else contextlib.nullcontext(), torch.inference_mode():
                if ready is not None:
                    self.stream.wait_event(ready)
                self.model.load_state_dict(snapshot)
                right = sum((self.model(batch).argmax(-1) == batch % 32).float().mean().item() for batch in self.held_out)
            self.scores.append((step, right / len(self.held_out)))


model = Tagger().to(args.device)
optimizer = torch.optim.NAdam(model.parameters(), lr=1e-3)
evaluator = Evaluator(model)
evaluator.start()
clock = Clock(args.device)
for step in clock.steps(args.steps):
    tokens = torch.randint(0, WORDS, (BATCH, LENGTH), device=args.device)
    loss = F.cross_entropy(model(tokens).flatten(0, 1), (tokens % 32).flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    if step % 25 == 24:
        snapshot = {name: value.detach().clone() for name, value in model.state_dict().items()}
        evaluator.inbox.put((step, snapshot, torch.cuda.current_stream().record_event() if on_gpu else None))
clock.done()
evaluator.inbox.put(None)
evaluator.join()
print(evaluator.scores)
