/**
 * The last requests and their answers; how many, is bounded.
 *
 * @module
 */
import type { Exchange } from './exchange.ts';

export interface RecentExchanges {
  readonly add: (exchange: Exchange) => void;
  /** The oldest first. */
  readonly all: () => readonly Exchange[];
}

export function recentExchanges(most: number): RecentExchanges {
  const kept: Exchange[] = [];
  return {
    add: (exchange) => {
      kept.push(exchange);
      if (kept.length > most) kept.shift();
    },
    all: () => [...kept],
  };
}
