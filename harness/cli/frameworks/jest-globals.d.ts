/** What jest gives to every module that it loads; jest itself is no dependency. */
declare module '@jest/globals' {
  export function describe(name: string, register: () => void): void;
  export function afterAll(action: () => Promise<void>): void;
  export const test: {
    (name: string, run: () => Promise<void>): void;
    skip(name: string, run: () => void): void;
  };
}
