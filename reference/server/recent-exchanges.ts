/**
 * The last requests and their answers; how many, is bounded.
 *
 * @module
 */
import type { Exchange } from './exchange.ts';

/** What a request for the server's own pages is called as an operation. Whoever looks is no part of the picture. */
export const OWN_PAGE = 'OwnPage';

export interface RecentExchanges {
  readonly add: (exchange: Exchange) => void;
  /** The oldest first. */
  readonly all: () => readonly Exchange[];
}

export function recentExchanges(most: number): RecentExchanges {
  const kept: Exchange[] = [];
  return {
    add: (exchange) => {
      if (exchange.operation === OWN_PAGE) return;
      kept.push(exchange);
      if (kept.length > most) kept.shift();
    },
    all: () => [...kept],
  };
}
