/**
 * What `vectors/` says, as the harness holds it.
 *
 * @module
 */

/**
 * must: the specification says it. observed: it is silent, and the service's documentation or every published SDK agrees.
 * advised: it does not ask for it, HTTP or safety does. open: sources disagree.
 */
export type Level = 'must' | 'observed' | 'advised' | 'open';

/** Every level, the strongest first. */
export const LEVELS: readonly Level[] = ['must', 'observed', 'advised', 'open'];

export interface Rule {
  readonly id: string;
  readonly level: Level;
  readonly text: string;
  /** Where the specification says it, as section and item: `5.2 step 3`, `5.1 R2`. */
  readonly cites?: readonly string[];
  /** Why no vector can test the rule. */
  readonly untested?: string;
}

export interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Every stage of an answer, by name. */
export type Stages = Readonly<Record<string, unknown>>;
/** The members of an input, by name. */
export type Input = Readonly<Record<string, unknown>>;

export interface Refuse {
  readonly reason: string;
  /** The reason itself is what the vector claims. */
  readonly exact?: true;
  /** The signer may also add what is missing: its answer is then that of the control. */
  readonly completable?: true;
}

/** One of the answers that are taken where nobody says which is right. */
export interface Alternative {
  readonly because: string;
  readonly expect?: Stages;
  readonly refuse?: Refuse;
}

/** Proves that a refusal is about what the vector says: the same input made right has an answer. */
export interface Control {
  /** Members that replace those of the vector's input. */
  readonly input: Input;
  readonly keys?: KeyPair;
  readonly expect: Stages;
}

/** How the wrong signature in an input was made. */
export interface Forged {
  readonly input?: Input;
  readonly keys?: KeyPair;
  readonly text?: string;
}

export interface Vector {
  /** `<operation>/<topic>/<id>`: the only name of a vector, in reports, lists and discussions. */
  readonly id: string;
  readonly operation: string;
  readonly rules: readonly string[];
  /** The weakest level among its rules. */
  readonly level: Level;
  readonly why: string;
  readonly source: string;
  readonly keys: KeyPair;
  readonly input: Input;
  readonly expect?: Stages;
  readonly accept?: Readonly<Record<string, Alternative>>;
  readonly refuse?: Refuse;
  readonly control?: Control;
  readonly forged?: Forged;
  /** Why it is kept although it catches no known mistake that few others catch. */
  readonly keep?: string;
}

export interface Suite {
  /** The version of the package that the vectors came with. */
  readonly version: string;
  readonly rules: readonly Rule[];
  readonly vectors: readonly Vector[];
  /** For each operation the id of its simplest vector: asked before anything is judged. */
  readonly knownGood: readonly string[];
  /** For each operation, the fewest vectors that catch what all of them catch, by id; absent where the folder has no smoke.yaml. */
  readonly smoke?: readonly string[];
}
