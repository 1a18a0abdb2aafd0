# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's Trainer on a small BERT from scratch."""
import tempfile

import torch
from own_clock import Clock, arguments
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments

args = arguments(60)
config = BertConfig(vocab_size=1000, hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256)
rows = [{"input_ids": torch.randint(0, 1000, (64,)), "labels": torch.tensor(i % 2)} for i in range(8 * args.steps)]
clock = Clock(args.device)


class Ticks(TrainerCallback):
    def on_step_begin(self, *_, **__):
        clock.tick()


trainer = Trainer(BertForSequenceClassification(config), train_dataset=rows, callbacks=[Ticks()],
                  args=TrainingArguments(tempfile.mkdtemp(), per_device_train_batch_size=8, max_steps=args.steps, report_to=[],
                                         save_strategy="no", logging_steps=10, disable_tqdm=True, use_cpu=args.device == "cpu"))
trainer.train()
clock.done()
