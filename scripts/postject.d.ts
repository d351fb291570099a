declare module 'postject' {
  /** Writes a resource into an executable file. */
  export function inject(
    file: string,
    name: string,
    resource: Buffer,
    options: { readonly sentinelFuse: string; readonly machoSegmentName: string },
  ): Promise<void>;
}
