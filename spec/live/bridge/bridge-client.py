#!/usr/bin/env python3
"""A client of `bowline bridge`, written from docs/bridge.md alone.

Runs one session: a prompt, permissions (one allowed, one denied, one rewritten),
a hook, a question, an interrupt, a follow-up, the end. Prints a report as JSON.

usage: bridge-client.py <cwd> <command> [args...]
"""

import json
import queue
import subprocess
import sys
import threading
import uuid

PATIENCE = 30


class Bridge:
    """The process, and a thread that sorts what it says."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", bufsize=1
        )
        self.replies = {}
        self.sessions = {}
        self.lock = threading.Lock()
        self.unknown = []
        self.creating = {}
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.take(json.loads(line))

    def take(self, message):
        kind, id_, session_id = message["type"], message.get("id"), message.get("session_id")
        with self.lock:
            if kind == "session.created":
                session = self.creating.pop(id_)
                session.id = session_id
                session.sdk_id = message["payload"]["sdk_session_id"]
                self.sessions[session_id] = session
            session = self.sessions.get(session_id)
            waiting = self.replies.pop(id_, None) if kind != "callback.request" else None
        if waiting is not None:
            waiting.put(message)
        elif kind == "sdk.message":
            session.messages.put(message["payload"])
        elif kind == "callback.request":
            answer = session.on_callback(message["payload"])
            if answer is not None:
                self.write("callback.response", answer, session_id, id_)
        elif kind == "callback.cancelled":
            session.cancelled.append(id_)
        elif kind == "error":
            session.errors.append(message["payload"]["code"])
        else:
            self.unknown.append(kind)

    def write(self, kind, payload, session_id=None, id_=None):
        message = {"type": kind, "id": id_ or str(uuid.uuid4()), "payload": payload}
        if session_id is not None:
            message["session_id"] = session_id
        with self.lock:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
        return message["id"]

    def request(self, kind, payload, session_id=None, creating=None):
        id_, reply = str(uuid.uuid4()), queue.Queue()
        self.replies[id_] = reply
        if creating is not None:
            self.creating[id_] = creating
        self.write(kind, payload, session_id, id_)
        return reply.get(timeout=PATIENCE)

    def close(self):
        self.process.stdin.close()
        return self.process.wait(timeout=PATIENCE)


class Session:
    def __init__(self, bridge, on_callback):
        self.bridge, self.on_callback = bridge, on_callback
        self.id = self.sdk_id = None
        self.messages = queue.Queue()
        self.cancelled, self.errors = [], []

    def create(self, prompt, cwd, options):
        payload = {"prompt": prompt, "cwd": cwd, "options": options}
        return self.bridge.request("session.create", payload, creating=self)

    def send(self, text):
        return self.bridge.write("session.send", {"message": text}, self.id)

    def result(self):
        """Messages until the turn's result, and the result."""
        before = []
        while True:
            message = self.messages.get(timeout=PATIENCE)
            if message["type"] == "result":
                return before, message
            before.append(message)

    def query(self, method, *args):
        reply = self.bridge.request("query.call", {"method": method, "args": list(args)}, self.id)
        return reply["payload"]


def main():
    cwd, command = sys.argv[1], sys.argv[2:]
    bridge = Bridge(command)
    report = {"asked": [], "hooks": []}
    never = threading.Event()

    def on_callback(payload):
        if payload["callback_type"] == "hook":
            report["hooks"].append(payload["hook_event"])
            return {}
        asked = payload["tool_input"]["command"]
        report["asked"].append(asked)
        if "denied" in asked:
            return {"behavior": "deny", "message": "Python says no."}
        if "rewritten" in asked:
            return {"behavior": "allow", "updated_input": {"command": "touch by-python.txt"}}
        if "parked" in asked:
            never.set()
            return None
        return {"behavior": "allow"}

    session = Session(bridge, on_callback)
    created = session.create("[[work]] go", cwd, {"hooks": {"PreToolUse": [{"matcher": "Bash"}]}, "model": None})
    report["created"] = created["type"]
    before, result = session.result()
    init = next(m for m in before if m.get("subtype") == "init")
    report["same_id"] = init["session_id"] == session.sdk_id
    report["first"] = result["result"]

    models = session.query("supportedModels")
    report["has_models"] = models["success"] and any(m["value"] == "default" for m in models["result"])
    report["bad_query"] = session.query("no such method")["code"]

    session.send("[[park]] go")
    never.wait(PATIENCE)
    report["interrupted"] = bridge.request("session.interrupt", {}, session.id)["type"]
    report["parked"] = session.result()[1]["terminal_reason"]
    report["cancelled"] = len(session.cancelled)

    sent = session.send("[[more]] und weiter? äöü \U0001f40d")
    result = session.result()[1]
    report["more"] = result["result"]
    report["found_by_id"] = sent in result["user_message_uuids"]

    report["wrong"] = bridge.request("session.dance", {}, session.id)["payload"]["code"]
    report["killed"] = bridge.request("session.kill", {}, session.id)["type"]
    report["gone"] = bridge.request("session.kill", {}, session.id)["payload"]["code"]
    report["errors"] = session.errors
    report["unknown"] = bridge.unknown
    report["exit"] = bridge.close()
    print(json.dumps(report))


main()
