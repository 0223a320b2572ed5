"""A typed client of the service, for programs that are not in its process: `iris_memory.client.IrisClient`."""

from iris_memory.client.every_call import AsyncEveryCall as AsyncIrisClient
from iris_memory.client.every_call import EveryCall as IrisClient
from iris_memory.client.problems import ProblemError
from iris_memory.client.shape import UNSET, Unset

__all__ = ["UNSET", "AsyncIrisClient", "IrisClient", "ProblemError", "Unset"]
