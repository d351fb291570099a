/**
 * The elements of the page, by their ids, checked for their kind.
 *
 * @module
 */

export function find(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

export function findForm(id: string): HTMLFormElement {
  const found = find(id);
  if (found instanceof HTMLFormElement) return found;
  throw new Error(`the element ${id} is not a form`);
}

export function findInput(id: string): HTMLInputElement {
  const found = find(id);
  if (found instanceof HTMLInputElement) return found;
  throw new Error(`the element ${id} is not an input`);
}

/** A control with a name and a value that the user edits. */
export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export function isControl(value: unknown): value is Control {
  return (
    value instanceof HTMLInputElement ||
    value instanceof HTMLSelectElement ||
    value instanceof HTMLTextAreaElement
  );
}

export function findControl(form: HTMLFormElement, name: string): Control {
  const found = form.elements.namedItem(name);
  if (isControl(found)) return found;
  throw new Error(`the form has no control ${name}`);
}
