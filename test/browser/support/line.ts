// Stands in the WebSocket between a page and the service, so that a test can cut it or leave its pings unanswered.
import type { Page, WebSocketRoute } from "playwright-core";

/** Close code of a service that cannot serve now. */
const TRY_AGAIN_LATER = 1013;
/** Messages of the protocol of graphql-ws, as its client and its server write them. */
const PING = '{"type":"ping"}';
const PONG = '{"type":"pong"}';

export class Line {
  #isCut = false;
  #isMute = false;
  #opened = 0;
  #pings = 0;
  #pongs = 0;
  /** Both ends of the socket that came through last. */
  #ends: readonly [page: WebSocketRoute, service: WebSocketRoute] | null = null;

  /** Before the page opens its socket. */
  static async of(page: Page): Promise<Line> {
    const line = new Line();
    await page.routeWebSocket("**/graphql", (socket) => line.#join(socket));
    return line;
  }

  /** How many sockets came through. */
  get opened(): number {
    return this.#opened;
  }

  /** How many pings came from the page by the present socket. */
  get pings(): number {
    return this.#pings;
  }

  /** Whether each of these has its answer. */
  get isAnswered(): boolean {
    return this.#pings === this.#pongs;
  }

  /** Nothing comes through until the line is mended. */
  async cut(): Promise<void> {
    this.#isCut = true;
    await Promise.all(this.#ends?.map((end) => end.close({ code: TRY_AGAIN_LATER })) ?? []);
    this.#ends = null;
  }

  mend(): void {
    this.#isCut = false;
  }

  /** Pings stay unanswered, as by a service that is too busy to answer. */
  holdPongs(): void {
    this.#isMute = true;
  }

  /** Answers one ping, late. */
  answerPing(): void {
    this.#pongs++;
    this.#ends?.[0].send(PONG);
  }

  passPongs(): void {
    this.#isMute = false;
  }

  #join(socket: WebSocketRoute): void {
    if (this.#isCut) {
      void socket.close({ code: TRY_AGAIN_LATER });
      return;
    }
    this.#opened++;
    this.#pings = 0;
    this.#pongs = 0;
    const service = socket.connectToServer();
    this.#ends = [socket, service];
    socket.onMessage((message) => {
      if (message === PING) this.#pings++;
      service.send(message);
    });
    service.onMessage((message) => {
      if (message === PONG && this.#isMute) return;
      if (message === PONG) this.#pongs++;
      socket.send(message);
    });
  }
}
