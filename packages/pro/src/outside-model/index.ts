// Asks the language model that the operator named, within the budget of an account.
export { askModel, isUnasked, type QuestionOutcome, type QuestionToModel } from './ask-model.ts';
export { eachOf } from './each-of.ts';
export { judgeByModel, type ModelFinding } from './judge-by-model.ts';
export { judgeOnce } from './judge-once.ts';
export { modelOf, newModelCall } from './model-of.ts';
export type { ChatMessage } from './rules/chat-request.ts';
