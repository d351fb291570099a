/**
 * What a run showed of verifiers, in words.
 *
 * @module
 */
import { type BlindVerifier, blindVerifiers } from '../forgeries/blind-verifiers.ts';
import { sharedMistakes } from '../forgeries/shared-mistakes.ts';
import type { Run } from '../run.ts';
import type { Suite } from '../suite/vector.ts';
import { isForgedFailure } from '../verdict.ts';
import { type Accepted, withAccept } from './commands.ts';
import { forgedBlock } from './forged.ts';
import { type Terminal, wrapped } from './terminal.ts';

/** More shared mistakes than this are counted, not shown; `--all` shows them. */
const SHOWN_MISTAKES = 10;

export interface VerifierReport {
  /** What comes first: which verifiers accept or refuse whatever they are asked. */
  readonly blind: string;
  /** The mistakes that the others share with signers. */
  readonly shared: string;
}

export function verifierReport(
  run: Run,
  suite: Suite,
  out: Terminal,
  all: boolean,
  accept: (accepted: Accepted) => string,
  causes: readonly string[],
): VerifierReport {
  const blind = blindVerifiers(run);
  return {
    blind: blindBlock(blind, out, accept),
    shared: sharedBlock(run, blind, suite, out, all, accept, causes),
  };
}

function blindBlock(
  blind: readonly BlindVerifier[],
  { width, paint }: Terminal,
  accept: (accepted: Accepted) => string,
): string {
  return blind
    .map(
      ({ sentence }) =>
        `${withAccept(paint('red', wrapped(sentence, width, '')), accept('everything'))}\n\n`,
    )
    .join('');
}

/** Of a blind verifier, one sentence says all. */
function sharedBlock(
  { forged = [] }: Run,
  blind: readonly BlindVerifier[],
  suite: Suite,
  out: Terminal,
  all: boolean,
  accept: (accepted: Accepted) => string,
  causes: readonly string[],
): string {
  const isBlind = (name: string): boolean => blind.some(({ operation }) => operation === name);
  const seeing = forged.filter(({ forgery }) => !isBlind(forgery.operation));
  const failures = new Set(seeing.filter(isForgedFailure).map(({ forgery }) => forgery));
  const shared = sharedMistakes(seeing).filter(({ accepted }) =>
    accepted.some((forgery) => failures.has(forgery)),
  );
  return forgedBlock(shared, suite, out, all ? shared.length : SHOWN_MISTAKES, accept, causes);
}
