# SPDX-License-Identifier: Apache-2.0
"""skorch: a scikit-learn estimator around a module, with its own train and validation split."""
import numpy
import torch
from own_clock import Clock, arguments
from skorch import NeuralNetClassifier
from skorch.callbacks import Callback

args = arguments(60)
clock = Clock(args.device)


class Ticks(Callback):
    def on_batch_begin(self, net, batch=None, training=None, **_):
        if training:
            clock.tick()


module = torch.nn.Sequential(torch.nn.Linear(64, 512), torch.nn.ReLU(), torch.nn.Linear(512, 5))
net = NeuralNetClassifier(module, criterion=torch.nn.CrossEntropyLoss, optimizer=torch.optim.Adam, max_epochs=3, batch_size=32, device=args.device,
                          callbacks=[Ticks()], verbose=0)
rows = 40 * args.steps // 3
net.fit(numpy.random.rand(rows, 64).astype("float32"), numpy.arange(rows) % 5)
if len(clock.begins) % 3:
    raise SystemExit("the split is not what the clock takes it for")
clock.done()
