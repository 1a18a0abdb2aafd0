# SPDX-License-Identifier: Apache-2.0
"""Five-fold cross validation: a new model, optimizer and loader for each fold, one score behind each."""
import torch
from own_clock import Clock, arguments

args = arguments(60)
rows = 32 * 15
data = torch.utils.data.TensorDataset(torch.randn(rows, 128), torch.randint(0, 4, (rows,)))
clock = Clock(args.device)
scores = []
for fold in range(5):
    held_out = list(range(fold, rows, 5))
    rest = [row for row in range(rows) if row % 5 != fold]
    model = torch.nn.Sequential(torch.nn.Linear(128, 512), torch.nn.Tanh(), torch.nn.Linear(512, 4)).to(args.device)
    optimizer = torch.optim.Adam(model.parameters())
    for inputs, labels in torch.utils.data.DataLoader(torch.utils.data.Subset(data, rest), batch_size=32, shuffle=True):
        clock.tick()
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(inputs.to(args.device)), labels.to(args.device)).backward()
        optimizer.step()
    with torch.no_grad():
        right = [(model(inputs.to(args.device)).argmax(-1).cpu() == labels).float().mean()
                 for inputs, labels in torch.utils.data.DataLoader(torch.utils.data.Subset(data, held_out), batch_size=16)]
    scores.append(float(torch.stack(right).mean()))
print(scores)
clock.done()
