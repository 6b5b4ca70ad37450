"""RULER's own random stream: the samples that NVIDIA/RULER's generators write, to the byte.

Profile `head` is commit c3f5e3b, `paper` is b28e81a. One random stream runs through a data set, so samples are made in
order; the state before each is kept, and any earlier one can be made again. Loops that never end in the reference end
here with an error.
"""
