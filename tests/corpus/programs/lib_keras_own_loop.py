# SPDX-License-Identifier: Apache-2.0
"""Keras on jax without fit(): a loop of one's own over stateless_call and stateless_apply, as in the guide."""
import os

from own_clock import Clock, arguments

args = arguments(100)
os.environ["KERAS_BACKEND"] = "jax"
if args.device == "cpu":
    os.environ["JAX_PLATFORMS"] = "cpu"
import jax  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402

BATCH, SIDE, WIDTH = (256, 32, 64) if args.device == "cuda" else (8, 8, 8)
keras.utils.set_random_seed(0)


def make_model():
    inputs = keras.Input((SIDE, SIDE, 3))
    x = keras.layers.Conv2D(WIDTH, 3, padding="same", activation="relu")(inputs)
    for width in (WIDTH, 2 * WIDTH):
        y = keras.layers.Conv2D(width, 3, strides=2, padding="same", use_bias=False)(x)
        y = keras.layers.Activation("relu")(keras.layers.BatchNormalization()(y))
        y = keras.layers.Conv2D(width, 3, padding="same")(y)
        x = keras.layers.add([y, keras.layers.Conv2D(width, 1, strides=2)(x)])
    return keras.Model(inputs, keras.layers.Dense(10)(keras.layers.GlobalAveragePooling2D()(x)))


class Pictures(keras.utils.PyDataset):
    def __init__(self, batches):
        super().__init__()
        self.batches = batches
        self.pictures = np.random.default_rng(0).integers(0, 256, (2048, SIDE, SIDE, 3), dtype=np.uint8)

    def __len__(self):
        return self.batches

    def __getitem__(self, index):
        rows = np.random.default_rng(index).integers(0, len(self.pictures), BATCH)
        pictures = self.pictures[rows].astype("float32") / 255.0
        return (pictures - 0.5) / 0.25, (self.pictures[rows].sum((1, 2, 3)) % 10).astype("int32")


model = make_model()
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = keras.optimizers.SGD(0.02, momentum=0.9)
optimizer.build(model.trainable_variables)
metric = keras.metrics.SparseCategoricalAccuracy()


def compute_loss_and_updates(trainable, non_trainable, metric_variables, x, y):
    predicted, non_trainable = model.stateless_call(trainable, non_trainable, x, training=True)
    return loss_fn(y, predicted), (non_trainable, metric.stateless_update_state(metric_variables, y, predicted))


@jax.jit
def train_step(state, x, y):
    trainable, non_trainable, optimizer_variables, metric_variables = state
    (loss, (non_trainable, metric_variables)), gradients = jax.value_and_grad(compute_loss_and_updates, has_aux=True)(
        trainable, non_trainable, metric_variables, x, y)
    trainable, optimizer_variables = optimizer.stateless_apply(optimizer_variables, gradients, trainable)
    return loss, (trainable, non_trainable, optimizer_variables, metric_variables)


def values(variables):
    return [variable.value for variable in variables]


state = values(model.trainable_variables), values(model.non_trainable_variables), values(optimizer.variables), values(metric.variables)
data = Pictures(args.steps)
progress = keras.utils.Progbar(len(data), verbose=2)
clock = Clock("cpu")
for number in range(len(data)):
    clock.tick()
    x, y = data[number]
    loss, state = train_step(state, x, y)
    progress.update(number + 1, values=[("loss", float(loss))], finalize=False)
clock.done()
for variable, value in zip(model.trainable_variables, state[0]):
    variable.assign(value)
print("accuracy", float(metric.stateless_result(state[3])))
