"""The part of `requests` that docs/python.md uses, on the standard library, for machines without it."""
import json as _json
import urllib.error
import urllib.request


class Response:
    def __init__(self, status, body):
        self.status_code, self._body = status, body

    def json(self):
        return _json.loads(self._body)

    def raise_for_status(self):
        if self.status_code >= 400:
            raise RuntimeError(f"{self.status_code}: {self._body}")


class Session:
    def __init__(self):
        self.headers = {}

    def _send(self, method, url, json, timeout):
        data = None if json is None else _json.dumps(json).encode()
        headers = {**self.headers, **({} if data is None else {"Content-Type": "application/json"})}
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=timeout) as answer:
                return Response(answer.status, answer.read())
        except urllib.error.HTTPError as error:
            return Response(error.code, error.read())

    def get(self, url, timeout=None):
        return self._send("GET", url, None, timeout)

    def post(self, url, json=None, timeout=None):
        return self._send("POST", url, json, timeout)


def post(url, json=None, timeout=None):
    return Session().post(url, json, timeout)
