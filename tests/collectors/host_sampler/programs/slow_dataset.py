# A dataset whose items take 10 ms each, read with as many workers as the first argument says, and
# in as many epochs of 2.4 s together as the second one says.
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 240 // int(sys.argv[2])

    def __getitem__(self, index):
        time.sleep(0.010)  # planted
        return torch.full((64,), float(index))


def main():
    model = torch.nn.Linear(64, 64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Slow(), batch_size=8, num_workers=int(sys.argv[1]))
    for epoch in range(int(sys.argv[2])):
        for batch in loader:  # planted: loop
            optimizer.zero_grad()
            model(batch).square().mean().backward()
            optimizer.step()


main()
