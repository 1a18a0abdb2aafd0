# SPDX-License-Identifier: Apache-2.0
"""PyTorch Lightning: three epochs, each with its validation, accumulated gradients, then a test."""
import logging

import lightning
import torch
from own_clock import Clock, arguments

logging.getLogger("lightning").setLevel(logging.ERROR)
args = arguments(60)
clock = Clock(args.device)


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(128, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))

    def on_train_batch_start(self, batch, index):
        if index % 2 == 0:
            clock.tick()

    def on_train_end(self):
        clock.done()

    def shared(self, batch):
        inputs, labels = batch
        return torch.nn.functional.cross_entropy(self.net(inputs), labels)

    def training_step(self, batch, index):
        return self.shared(batch)

    def validation_step(self, batch, index):
        self.log("validation", self.shared(batch))

    def test_step(self, batch, index):
        self.log("test", self.shared(batch))

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters())
        return [optimizer], [torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 3)]


def loader(batches):
    data = torch.utils.data.TensorDataset(torch.randn(32 * batches, 128), torch.randint(0, 10, (32 * batches,)))
    return torch.utils.data.DataLoader(data, batch_size=32)


trainer = lightning.Trainer(max_epochs=3, accumulate_grad_batches=2, logger=False, enable_checkpointing=False, enable_progress_bar=False,
                            enable_model_summary=False, accelerator="gpu" if args.device == "cuda" else "cpu", devices=1)
model = Model()
trainer.fit(model, loader(2 * args.steps // 3), loader(10))
trainer.test(model, loader(30), verbose=False)
