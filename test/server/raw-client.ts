/**
 * Sends any bytes to a server, also those that no HTTP client sends, and reads what comes back.
 *
 * @module
 */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** With names and values as they were sent. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A connection that keeps everything it receives. */
export class RawClient {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  received = '';

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('latin1').on('data', (text: string) => {
      this.received += text;
    });
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  send(text: string | Uint8Array): this {
    this.socket.write(text);
    return this;
  }

  /** Waits until the received text matches; throws an error with that text if it never does. */
  async until(pattern: RegExp, most = 600_000): Promise<string> {
    const from = performance.now();
    while (!pattern.test(this.received)) {
      if (performance.now() - from > most || this.socket.destroyed) {
        throw new Error(`${pattern} is not in ${JSON.stringify(this.received.slice(0, 2000))}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return this.received;
  }
}

/** Sends a text; returns everything that is received until the connection is closed. */
export async function rawExchange(port: number, text: string | Uint8Array): Promise<string> {
  const client = new RawClient(port).send(text);
  await client.closed;
  return client.received;
}

/** Splits answers by their Content-Length. Answers to HEAD have no body. */
export function rawAnswers(received: string, isHead = false): readonly RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = received;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`no answer: ${JSON.stringify(rest.slice(0, 500))}`);
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1];
    if (status === undefined) throw new Error(`no status line: ${JSON.stringify(first)}`);
    const headers = new Map(lines.map(splitLine));
    const length = isHead ? 0 : Number(headers.get('Content-Length') ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    answers.push({ status: Number(status), headers, body });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

function splitLine(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(': ');
  return [line.slice(0, colon), line.slice(colon + 2)];
}
