# SPDX-License-Identifier: Apache-2.0
"""What lib_keras_torch and lib_keras_jax do: fit with validation, then evaluate and predict."""
import os


def run(backend):
    os.environ["KERAS_BACKEND"] = backend
    import keras
    import numpy
    from own_clock import Clock, arguments

    args = arguments(60)
    clock = Clock("cpu" if backend == "jax" else args.device)

    class Ticks(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            clock.tick()

        def on_train_end(self, logs=None):
            clock.done()

    inputs = numpy.random.rand(32 * args.steps // 2, 64).astype("float32")
    labels = numpy.random.randint(0, 10, len(inputs))
    model = keras.Sequential([keras.layers.Dense(512, activation="relu"), keras.layers.Dropout(0.1), keras.layers.Dense(10)])
    model.compile(optimizer="adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    model.fit(inputs, labels, batch_size=32, epochs=2, validation_data=(inputs[:320], labels[:320]), callbacks=[Ticks()],
              verbose=0)
    model.evaluate(inputs, labels, verbose=0)
    model.predict(inputs, verbose=0)
