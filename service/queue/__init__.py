"""The queue: submitting jobs, handing out samples, taking outcomes.

`control` submits and changes jobs, `leasing` hands out and renews, `reports` takes outcomes; all of them call the
functions in `sql/`, the only code that moves samples. `dispatch` lets workers wait, `specs` knows what they must be told.
"""
