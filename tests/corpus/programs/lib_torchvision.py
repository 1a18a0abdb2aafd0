# SPDX-License-Identifier: Apache-2.0
"""torchvision: transforms in two workers, a small residual network."""
import torch
import torchvision
from own_clock import Clock, arguments

args = arguments(30)
transform = torchvision.transforms.Compose([torchvision.transforms.RandomResizedCrop(64), torchvision.transforms.RandomHorizontalFlip(),
                                            torchvision.transforms.ToTensor()])
data = torchvision.datasets.FakeData(8 * args.steps, (3, 96, 96), 10, transform)
loader = torch.utils.data.DataLoader(data, batch_size=8, num_workers=2, drop_last=True)
model = torchvision.models.resnet18(num_classes=10).to(args.device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
clock = Clock(args.device)
batches = iter(loader)
for step in clock.steps(args.steps):
    images, labels = next(batches)
    loss = torch.nn.functional.cross_entropy(model(images.to(args.device)), labels.to(args.device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
