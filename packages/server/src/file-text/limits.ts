const MIB = 1024 * 1024;

/** What is read of a file, and what reading it may take. */
export const FILE_LIMITS = {
  /** Fits as base64 into the body of a request. */
  file_bytes: 5 * MIB,
  pages: 2000,
  /** Of all pages together. */
  chars: 2_000_000,
  /** What a part of a packed file may unpack to. */
  unpacked_bytes: 32 * MIB,
  time_ms: 120_000,
  /** Of objects, and of the whole process that reads the file. */
  heap_mb: 256,
  memory_mb: 512,
} as const;

export type FileLimits = { [Name in keyof typeof FILE_LIMITS]: number };
