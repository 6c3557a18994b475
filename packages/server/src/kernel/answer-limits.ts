/** The most bytes of answers that are being made, or that their readers have not taken yet. */
export type AnswerLimits = { perAccount: number; inAll: number };

export const ANSWER_LIMITS: AnswerLimits = { perAccount: 64 * 1024 * 1024, inAll: 256 * 1024 * 1024 };
