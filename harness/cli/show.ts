/**
 * `show`: a vector, a rule or a mistake in full.
 *
 * @module
 */
import { bundledSuite } from '../suite/bundle.ts';
import { JSON_LINES, SELECTION } from './selection.ts';
import { SELECTING_EXIT_CODES, type Verb } from './verb.ts';

export const showVerb: Verb = {
  usage: ['show [options] ID…'],
  example: 'show authorization/folding/replaces-a-fold-with-a-tab',
  exitCodes: SELECTING_EXIT_CODES,
  summary:
    'Shows an entry in full. For a vector: its rules, its input, every stage of its answer, and a line of python3 that computes the answer. For a rule: its text, the steps of the reference and the functions for Python that follow it, its vectors, and the mistakes that break it. For a mistake: its cause and fix, the smallest vector that shows it with the correct and the wrong text, and the published SDKs that make it.',
  operands: {
    ID: {
      help: 'the id of a vector, a rule, a mistake of the register or a generated mistake (place/change), with the condition that a report names (place/change@condition); a folder or a glob names vectors or rules',
      candidates: listCandidates,
    },
  },
  options: { ...SELECTION, json: JSON_LINES },
  run: async (given, call) => (await import('./show-action.ts')).showEntries(given, call),
};

/** The ids that completion offers. Generated mistakes are left out, because there are too many. */
export async function listCandidates(): Promise<readonly string[]> {
  const { MISTAKES } = await import('../../reference/mistakes/index.ts');
  const { vectors, rules } = bundledSuite();
  return [vectors, rules, MISTAKES].flatMap((all) => all.map(({ id }) => id));
}
