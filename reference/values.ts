/**
 * Checks of values from outside, whose type is unknown.
 *
 * @module
 */

/** The members of a JSON object, by name. */
export type Members = Readonly<Record<string, unknown>>;

/** As `JSON.parse`, whose result TypeScript would not check. */
export function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/** As `parseJson`; undefined if the text is not JSON. */
export function parseJsonIfValid(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Whether a value has members: an object, a list, but not null. */
export function hasMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The sentence of an error, or the text of any other value that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export type AnyFunction = (...given: readonly unknown[]) => unknown;

export function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function';
}

/** The code of an error of the system, Node or LevelDB, such as ENOENT; `undefined` if the error has none. */
export function systemCode(error: unknown): string | undefined {
  return hasMembers(error) && isText(error['code']) ? error['code'] : undefined;
}

/** Whether a value is a name with a value, as in a list of headers or parameters. */
export function isPair(value: unknown): value is readonly [name: string, value: unknown] {
  return isList(value) && value.length === 2 && isText(value[0]);
}

/** Whether a value is a list of names with texts. */
export function isTextPairs(value: unknown): value is readonly (readonly [string, string])[] {
  return isList(value) && value.every((pair) => isPair(pair) && isText(pair[1]));
}

/** Replaces every text in a value, at any depth. The shape stays, and so do members with the names in `kept`. */
export function mapTexts<Value>(
  value: Value,
  change: (text: string) => string,
  kept?: ReadonlySet<string>,
): Value;
export function mapTexts(
  value: unknown,
  change: (text: string) => string,
  kept?: ReadonlySet<string>,
): unknown {
  if (isText(value)) return change(value);
  if (isList(value)) return value.map((item) => mapTexts(item, change, kept));
  if (!hasMembers(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    kept?.has(name) ? member : mapTexts(member, change, kept),
  ]);
  return Object.fromEntries(entries);
}

/** As `Object.keys`, with the names of the type. Only for values that this program builds, which have no other members. */
export function keysOf<Value extends object>(value: Value): readonly (keyof Value & string)[];
export function keysOf(value: object): readonly string[] {
  return Object.keys(value);
}

/** The port on which a server listens; 0 before it listens. */
export function listeningPort(server: { address(): unknown }): number {
  const address = server.address();
  return hasMembers(address) && typeof address['port'] === 'number' ? address['port'] : 0;
}

/** Checks whether a value has a type. */
export type Guard<Shape> = (value: unknown) => value is Shape;

/** A guard for each member of a type. The guard of an optional member accepts `undefined` too. */
type MemberGuards<Shape> = {
  readonly [Name in keyof Shape]-?: object extends Pick<Shape, Name>
    ? Guard<Shape[Name] | undefined>
    : Guard<Shape[Name]>;
};

/** Creates a guard for objects from the guards of their members; other members are not checked. */
export function isShapeOf<Shape extends object>(members: MemberGuards<Shape>): Guard<Shape>;
export function isShapeOf(members: Readonly<Record<string, Guard<unknown>>>): Guard<unknown> {
  const guards = Object.entries(members);
  return (value): value is unknown =>
    hasMembers(value) && guards.every(([name, isMember]) => isMember(value[name]));
}

export function isListOf<Item>(isItem: Guard<Item>): Guard<readonly Item[]> {
  return (value): value is readonly Item[] => isList(value) && value.every(isItem);
}

export function isRecordOf<Member>(
  isMember: Guard<Member>,
): Guard<Readonly<Record<string, Member>>> {
  return (value): value is Readonly<Record<string, Member>> =>
    hasMembers(value) && Object.values(value).every(isMember);
}

export function isOptional<Shape>(isShape: Guard<Shape>): Guard<Shape | undefined> {
  return (value): value is Shape | undefined => value === undefined || isShape(value);
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
