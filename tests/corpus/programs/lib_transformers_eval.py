# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's Trainer with an evaluation every 20 steps, and one behind the training."""
import tempfile

import torch
from own_clock import Clock, arguments
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments

args = arguments(60)
config = GPT2Config(vocab_size=500, n_positions=64, n_embd=96, n_layer=2, n_head=4)


def rows(count):
    tokens = torch.randint(0, 500, (count, 48))
    return [{"input_ids": one, "labels": one} for one in tokens]


clock = Clock(args.device)


class Ticks(TrainerCallback):
    def on_step_begin(self, *_, **__):
        clock.tick()

    def on_train_end(self, *_, **__):
        clock.done()


trainer = Trainer(GPT2LMHeadModel(config), train_dataset=rows(8 * args.steps), eval_dataset=rows(64), callbacks=[Ticks()],
                  args=TrainingArguments(tempfile.mkdtemp(), per_device_train_batch_size=8, per_device_eval_batch_size=16, max_steps=args.steps,
                                         eval_strategy="steps", eval_steps=20, report_to=[], save_strategy="no", logging_steps=20,
                                         disable_tqdm=True, use_cpu=args.device == "cpu"))
trainer.train()
trainer.evaluate(rows(480))
