/**
 * The data that the build of the site writes into the page of the playground.
 *
 * @module
 */
import type { KeyPair, Rule } from '../../harness/engine/vector.ts';

export interface PlaygroundData {
  readonly rules: readonly Rule[];
  /** The published key pairs of the vectors, which are not secret. */
  readonly testKeys: readonly KeyPair[];
  /** The ids of the rules of each stage, by operation. */
  readonly stages: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** The id of the element that contains the data as JSON. */
export const DATA_ID = 'playground-data';
