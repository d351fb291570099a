/**
 * Shows the stages of the answer, with visible bytes and marks on changes.
 *
 * @module
 */
import { answerQuestion } from '../../reference/answers.ts';
import { OPERATIONS } from '../../reference/operations.ts';
import { type Html, html } from '../../reference/server/pages/html.ts';
import { inDialect, type KeyPair } from '../../reference/signing/index.ts';
import { showChange, showStage, stageText } from '../../scripts/site/text.ts';
import type { PlaygroundData } from './data.ts';
import type { Subject } from './subject.ts';

/** The texts of the stages by name, or the reason why the input is refused. */
export type Shown =
  | ReadonlyMap<string, string>
  | { readonly reason: string; readonly message: string };

/** @param hide hides the private key, with which the text of an action ends */
export function computeStages(
  { operation, input, dialect }: Subject,
  keys: KeyPair,
  hide: (text: string) => string,
): Shown {
  const answer = answerQuestion(operation, input, keys, inDialect(dialect));
  if ('reason' in answer) return { reason: answer.reason, message: hide(answer.message) };
  const names = OPERATIONS[operation]?.stages ?? [];
  return new Map(names.map((name) => [name, hide(stageText(answer.stages[name]))]));
}

/** @param before the stages before the last change, from which differences are marked */
export function renderStages(
  operation: string,
  shown: Shown,
  before: Shown | undefined,
  data: PlaygroundData,
): Html {
  if ('reason' in shown) {
    return html`<p class="said"><b class="wrong">Refused:</b> ${shown.message} <span class="quiet">(<code>${shown.reason}</code>)</span></p>`;
  }
  const rows = [...shown].map(([name, text]) => {
    const earlier = before && 'get' in before ? before.get(name) : undefined;
    const show = showStage(name);
    const rules = data.stages[operation]?.[name] ?? [];
    return html`<dt>${name}</dt><dd><pre tabindex="0" data-stage="${name}">${showChange(text, earlier ?? text, show)}</pre>${renderRules(rules, data)}</dd>`;
  });
  return html`<dl class="stages">${rows}</dl>`;
}

function renderRules(ids: readonly string[], data: PlaygroundData): Html {
  if (ids.length === 0) return html``;
  const links = ids.map((id) => {
    const text = data.rules.find((rule) => rule.id === id)?.text ?? '';
    return html`<a href="../rules/${id}/" title="${text}">${id}</a> `;
  });
  return html`<p class="source">${links}</p>`;
}
