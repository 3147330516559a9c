// Mounts the agents' endpoint, `POST /api/v1/agent/heartbeat`: outside GraphQL, because thousands of nodes call it every few seconds.
import type { Express } from "express";
import { HeartbeatDoor, HEARTBEAT_PATH, type HeartbeatParts } from "./handler.js";

/** Puts a listener before everything else for requests that spell exactly this path, whatever follows a `?`. */
type Shortcut = (path: string, listener: HeartbeatDoor["answer"]) => void;

/**
 * Mounts the door; must come before the routes of REST v1.
 * @param shortcut agents' requests go past Express; other spellings of the path (case, a slash at the end) come through it
 */
export function mountHeartbeat(app: Express, parts: HeartbeatParts, shortcut?: Shortcut): HeartbeatDoor {
  const door = new HeartbeatDoor(parts);
  app.all(HEARTBEAT_PATH, door.answer);
  shortcut?.(HEARTBEAT_PATH, door.answer);
  return door;
}
