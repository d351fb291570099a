/**
 * Which mistakes a verifier shares, told from the forged requests that it accepts.
 *
 * @module
 */
import { MISTAKES, type Mistake } from '../../reference/mistakes/index.ts';
import type { Forgery } from './forgery.ts';
import { type ForgedOutcome, isAccepted } from './outcome.ts';

export interface SharedMistake {
  /** The verifiers that share it. */
  readonly operations: readonly string[];
  /** Several where the accepted requests do not tell them apart. */
  readonly mistakes: readonly Mistake[];
  /** What was signed with it and accepted. */
  readonly accepted: readonly Forgery[];
}

/** The same with the mistakes by name. */
interface Finding extends Omit<SharedMistake, 'mistakes'> {
  readonly mistakes: readonly string[];
}

/** The mistakes that verifiers share, each once; the one that most requests show comes first. */
export function sharedMistakes(outcomes: readonly ForgedOutcome[]): readonly SharedMistake[] {
  const operations = [...new Set(outcomes.map(({ forgery }) => forgery.operation))];
  const merged: Finding[] = [];
  for (const found of operations.flatMap((name) => sharedIn(name, outcomes))) {
    const same = merged.findIndex(({ mistakes }) => common(mistakes, found.mistakes).length > 0);
    const known = merged[same];
    if (!known) merged.push(found);
    else {
      merged[same] = {
        operations: [...new Set([...known.operations, ...found.operations])],
        mistakes: common(known.mistakes, found.mistakes),
        accepted: [...known.accepted, ...found.accepted],
      };
    }
  }
  merged.sort((a, b) => b.accepted.length - a.accepted.length);
  return merged.map((finding) => ({
    ...finding,
    mistakes: MISTAKES.filter(({ id }) => finding.mistakes.includes(id)),
  }));
}

/** A mistake is shared where every request is accepted that it accounts for; as few mistakes as account for all. */
function sharedIn(operation: string, outcomes: readonly ForgedOutcome[]): readonly Finding[] {
  const own = outcomes.filter(({ forgery }) => forgery.operation === operation);
  const accepted = own.filter(isAccepted).map(({ forgery }) => forgery);
  const refused = own.filter((one) => !isAccepted(one)).flatMap(({ forgery }) => accounts(forgery));
  const found: Finding[] = [];
  let open = accepted;
  while (open.length > 0) {
    const names = open.flatMap(accounts).filter((name) => !refused.includes(name));
    const best = mostShown([...new Set(names)], open) ?? open[0]?.mistakes ?? [];
    const shown = open.filter((forgery) => accounts(forgery).includes(best[0] ?? ''));
    found.push({ operations: [operation], mistakes: best, accepted: shown });
    open = open.filter((forgery) => !shown.includes(forgery));
  }
  return found;
}

/** The mistakes with which a verifier accepts a forgery. */
function accounts({ mistakes, acceptedWith = [] }: Forgery): readonly string[] {
  return [...mistakes, ...acceptedWith];
}

/** The mistakes that account for most of the forgeries, all of them for the very same ones. */
function mostShown(
  names: readonly string[],
  of: readonly Forgery[],
): readonly string[] | undefined {
  const shown = (name: string): readonly Forgery[] =>
    of.filter((forgery) => accounts(forgery).includes(name));
  const [best] = [...names].sort((a, b) => shown(b).length - shown(a).length);
  if (best === undefined) return undefined;
  const most = shown(best);
  return names.filter((name) => {
    const others = shown(name);
    return others.length === most.length && others.every((forgery) => most.includes(forgery));
  });
}

function common(a: readonly string[], b: readonly string[]): readonly string[] {
  return a.filter((name) => b.includes(name));
}
