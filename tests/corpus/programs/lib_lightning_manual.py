# SPDX-License-Identifier: Apache-2.0
"""PyTorch Lightning with manual optimization: an adversarial pair, the discriminator three times as often as the generator."""
import logging
import warnings

import pytorch_lightning
import torch
from own_clock import Clock, arguments
from torch import nn
from torch.nn import functional as F

warnings.filterwarnings("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
args = arguments(80)
on_gpu = args.device == "cuda"
pytorch_lightning.seed_everything(0)
WIDTH, BATCH, LATENT, OUT = (1024, 2048, 64, 256) if on_gpu else (32, 16, 4, 8)
clock = Clock(args.device)


def network(inside, outside):
    return nn.Sequential(nn.Linear(inside, WIDTH), nn.LeakyReLU(0.2), nn.Linear(WIDTH, WIDTH), nn.LeakyReLU(0.2), nn.Linear(WIDTH, outside))


class Adversaries(pytorch_lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.generator, self.discriminator = network(LATENT, OUT), network(OUT, 1)

    def on_train_batch_start(self, batch, batch_idx):
        clock.tick()

    def training_step(self, batch, batch_idx):
        (real,) = batch
        optimizer_g, optimizer_d = self.optimizers()
        self.toggle_optimizer(optimizer_d)
        for _ in range(3):
            fake = self.generator(torch.randn(len(real), LATENT, device=self.device)).detach()
            loss_d = F.softplus(-self.discriminator(real)).mean() + F.softplus(self.discriminator(fake)).mean()
            optimizer_d.zero_grad()
            self.manual_backward(loss_d)
            self.clip_gradients(optimizer_d, gradient_clip_val=1.0, gradient_clip_algorithm="norm")
            optimizer_d.step()
        self.untoggle_optimizer(optimizer_d)
        self.toggle_optimizer(optimizer_g)
        loss_g = F.softplus(-self.discriminator(self.generator(torch.randn(len(real), LATENT, device=self.device)))).mean()
        optimizer_g.zero_grad()
        self.manual_backward(loss_g)
        optimizer_g.step()
        self.untoggle_optimizer(optimizer_g)
        self.log_dict({"generator": loss_g, "discriminator": loss_d})

    def on_train_end(self):
        clock.stop()

    def configure_optimizers(self):
        return [torch.optim.Adam(self.generator.parameters(), lr=2e-4, betas=(0.5, 0.999)),
                torch.optim.Adam(self.discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))]


data = torch.utils.data.TensorDataset(torch.randn(4 * BATCH, OUT))
sampler = torch.utils.data.RandomSampler(data, replacement=True, num_samples=args.steps * BATCH)
loader = torch.utils.data.DataLoader(data, batch_sampler=torch.utils.data.BatchSampler(sampler, BATCH, drop_last=True))
trainer = pytorch_lightning.Trainer(max_epochs=1, logger=False, enable_checkpointing=False, enable_progress_bar=False,
                                    enable_model_summary=False, accelerator="gpu" if on_gpu else "cpu", devices=1)
trainer.fit(Adversaries(), loader)
clock.done()
