/**
 * Questions that readers ask, each with the page that answers it.
 *
 * @module
 */

import { isListOf, isShapeOf, isText } from '../../reference/values.ts';
import type { Page } from './page.ts';
import { readSiteFile } from './site-file.ts';

export interface Question {
  readonly question: string;
  /** The address of a page. */
  readonly answer: string;
}

const FILE = 'site/questions.yaml';

export function readQuestions(): readonly Question[] {
  return readSiteFile(FILE, isListOf(isShapeOf<Question>({ question: isText, answer: isText })));
}

/** Shows each question on the page that answers it. */
export function addQuestions(
  pages: readonly Page[],
  questions: readonly Question[],
): readonly Page[] {
  for (const { answer } of questions) {
    if (!pages.some(({ path }) => path === answer))
      throw new Error(`${FILE}: there is no page ${answer}`);
  }
  return pages.map((page) => {
    const asked = questions.filter(({ answer }) => answer === page.path);
    return asked.length === 0 ? page : { ...page, asked: asked.map(({ question }) => question) };
  });
}
