/** Why the text of a file is not read. */
export const REFUSAL_REASONS = [
  'empty',
  'too_large',
  'unknown_format',
  'wrong_format',
  'not_text',
  'encrypted',
  'broken',
  'no_text',
  'too_many_pages',
  'too_much_text',
  'too_much_memory',
  'too_slow',
  'credentials',
] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** The file cannot be read, now or later. The message is for people, and shows nothing of the content. */
export class FileRefused extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.name = 'FileRefused';
    this.reason = reason;
  }
}
