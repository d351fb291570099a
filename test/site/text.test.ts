import { expect, test } from 'vitest';
import { showChange } from '../../dist/scripts/site/text.js';

test('the mark of a change does not split a surrogate pair', () => {
  // These pairs share their first half.
  expect(showChange('a😀b', 'a😁b').html).toBe('a<mark>😀</mark>b');
  // These share their second half.
  expect(showChange('a😀b', 'a\u{1fa00}b').html).toBe('a<mark>😀</mark>b');
  expect(showChange('ab', 'a😀b').html).toBe('a<mark class="gap"></mark>b');
});
