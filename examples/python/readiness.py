import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from redis_store import handler


class Probe(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        problems = handler.check_readiness()
        self.send_response(503 if problems else 200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        text = json.dumps([one._asdict() for one in problems])
        self.wfile.write(text.encode())


server = ThreadingHTTPServer(("", 8081), Probe)
threading.Thread(target=server.serve_forever, daemon=True).start()
