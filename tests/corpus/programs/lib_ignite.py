# SPDX-License-Identifier: Apache-2.0
"""PyTorch Ignite: a trainer engine, an evaluator every epoch, running averages."""
import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.metrics import Accuracy, Loss, RunningAverage
from own_clock import Clock, arguments

args = arguments(60)
model = torch.nn.Sequential(torch.nn.Linear(128, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)).to(args.device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
criterion = torch.nn.CrossEntropyLoss()
data = torch.utils.data.TensorDataset(torch.randn(32 * args.steps // 3, 128), torch.randint(0, 10, (32 * args.steps // 3,)))
loader = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True)
trainer = create_supervised_trainer(model, optimizer, criterion, device=args.device)
RunningAverage(output_transform=lambda loss: loss).attach(trainer, "loss")
evaluator = create_supervised_evaluator(model, {"accuracy": Accuracy(), "loss": Loss(criterion)}, device=args.device)
clock = Clock(args.device)
trainer.add_event_handler(Events.GET_BATCH_STARTED, clock.tick)
trainer.add_event_handler(Events.EPOCH_COMPLETED, lambda _: evaluator.run(loader))
trainer.run(loader, max_epochs=3)
clock.done()
