// Text out of files that come from outside.
export { FileRefused, REFUSAL_REASONS, type RefusalReason } from './file-refused.ts';
export { FILE_FORMATS, type FileFormat } from './format.ts';
export { FILE_LIMITS } from './limits.ts';
export { cutText } from './pages.ts';
export { checkFile, type FileText, readFileText } from './read-file.ts';
export { ReaderBusy } from './reading-turns.ts';
