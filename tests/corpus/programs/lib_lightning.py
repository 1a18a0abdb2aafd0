# SPDX-License-Identifier: Apache-2.0
"""PyTorch Lightning with validation every 20 batches."""
import logging

import lightning
import torch
from own_clock import Clock, arguments

logging.getLogger("lightning").setLevel(logging.ERROR)
args = arguments(70)
clock = Clock(args.device)


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(128, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))

    def on_train_batch_start(self, batch, index):
        clock.tick()

    def training_step(self, batch, index):
        inputs, labels = batch
        return torch.nn.functional.cross_entropy(self.net(inputs), labels)

    def on_train_end(self):  # in front of the tear-down, which copies the model and the optimizer's state to the host
        clock.stop()

    def validation_step(self, batch, index):
        inputs, labels = batch
        self.log("accuracy", (self.net(inputs).argmax(1) == labels).float().mean())

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


data = torch.utils.data.TensorDataset(torch.randn(32 * args.steps, 128), torch.randint(0, 10, (32 * args.steps,)))
held_out = torch.utils.data.Subset(data, range(320))
trainer = lightning.Trainer(max_epochs=1, val_check_interval=20, logger=False, enable_checkpointing=False, enable_progress_bar=False,
                            enable_model_summary=False, num_sanity_val_steps=0, accelerator="gpu" if args.device == "cuda" else "cpu", devices=1)
trainer.fit(Model(), torch.utils.data.DataLoader(data, batch_size=32), torch.utils.data.DataLoader(held_out, batch_size=32))
clock.done()
