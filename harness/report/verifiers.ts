/**
 * What a run showed of verifiers, in words.
 *
 * @module
 */
import { type BlindVerifier, blindVerifiers } from '../forgeries/blind-verifiers.ts';
import type { Run } from '../run.ts';
import type { Suite } from '../suite/vector.ts';
import { type Terminal, wrapped } from './terminal.ts';

/** More shared mistakes than this are counted, not shown; `--all` shows them. */
const SHOWN_MISTAKES = 10;

export interface VerifierReport {
  /** What comes first: which verifiers accept or refuse whatever they are asked. */
  readonly blind: string;
  /** The mistakes that the others share with signers. */
  readonly shared: string;
}

export async function verifierReport(
  run: Run,
  suite: Suite,
  out: Terminal,
  all: boolean,
  causes: readonly string[],
): Promise<VerifierReport> {
  const blind = blindVerifiers(run);
  return {
    blind: blindBlock(blind, out),
    shared: await sharedBlock(run, blind, suite, out, all, causes),
  };
}

function blindBlock(blind: readonly BlindVerifier[], { width, paint }: Terminal): string {
  return blind.map(({ sentence }) => `${paint('red', wrapped(sentence, width, ''))}\n\n`).join('');
}

/** Of a blind verifier, one sentence says all. */
async function sharedBlock(
  { forged = [] }: Run,
  blind: readonly BlindVerifier[],
  suite: Suite,
  out: Terminal,
  all: boolean,
  causes: readonly string[],
): Promise<string> {
  const isBlind = (name: string): boolean => blind.some(({ operation }) => operation === name);
  const seeing = forged.filter(({ forgery }) => !isBlind(forgery.operation));
  if (seeing.length === 0) return '';
  const [{ sharedMistakes }, { forgedBlock }] = await Promise.all([
    import('../forgeries/shared-mistakes.ts'),
    import('./forged.ts'),
  ]);
  const limit = all ? Number.POSITIVE_INFINITY : SHOWN_MISTAKES;
  return forgedBlock(sharedMistakes(seeing), suite, out, limit, causes);
}
