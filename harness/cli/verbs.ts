/**
 * The verbs by name.
 *
 * @module
 */
import { runVerb } from './run.ts';
import type { Verbs } from './verb.ts';

/** The verbs by name. All except `run` are loaded only when they are called, so that a run starts fast. */
export const VERBS: Verbs = {
  run: async () => runVerb,
  accept: async () => (await import('./accept.ts')).acceptVerb,
  compare: async () => (await import('./compare.ts')).compareVerb,
  merge: async () => (await import('./merge.ts')).mergeVerb,
  list: async () => (await import('./list.ts')).listVerb,
  show: async () => (await import('./show.ts')).showVerb,
  docs: async () => (await import('./docs.ts')).docsVerb,
  export: async () => (await import('./export.ts')).exportVerb,
  check: async () => (await import('./check.ts')).checkVerb,
  explain: async () => (await import('./explain.ts')).explainVerb,
  serve: async () => (await import('./serve.ts')).serveVerb,
  init: async () => (await import('./init.ts')).initVerb,
  adapter: async () => (await import('./adapter.ts')).adapterVerb,
  wire: async () => (await import('./wire.ts')).wireVerb,
  probe: async () => (await import('./probe.ts')).probeVerb,
  etag: async () => (await import('./etag.ts')).etagVerb,
  fuzz: async () => (await import('./fuzz.ts')).fuzzVerb,
  results: async () => (await import('./results.ts')).resultsVerb,
  vectors: async () => (await import('./vectors.ts')).vectorsVerb,
  completion: async () => (await import('./completion.ts')).completionVerb(VERBS),
};
