# SPDX-License-Identifier: Apache-2.0
"""Keras on torch: fit with validation, then evaluate and predict."""
from keras_fit import run

run("torch")
