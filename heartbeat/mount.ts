// Mounts the agents' endpoint, `POST /api/v1/agent/heartbeat`: outside GraphQL, because thousands of nodes call it every few seconds.
import type { Express } from "express";
import { HeartbeatHandler, HEARTBEAT_PATH, type HeartbeatParts } from "./handler.js";

/** Puts a listener before everything else for requests that spell exactly this path, whatever follows a `?`. */
type Shortcut = (path: string, listener: HeartbeatHandler["answer"]) => void;

/**
 * Mounts the handler; must come before the routes of REST v1.
 * @param shortcut agents' requests go past Express; other spellings of the path (case, a slash at the end) come through it
 */
export function mountHeartbeat(app: Express, parts: HeartbeatParts, shortcut?: Shortcut): HeartbeatHandler {
  const handler = new HeartbeatHandler(parts);
  app.all(HEARTBEAT_PATH, handler.answer);
  shortcut?.(HEARTBEAT_PATH, handler.answer);
  return handler;
}
