/** What an account may have of pull requests. */
export const MAX_OPEN = 1000;
export const MAX_PULL_REQUESTS = 10_000;

/** What a pull request may have. */
export const MAX_REVIEWS = 500;
export const MAX_POSTED_CHECKS = 20;

/** What an answer shows of them. */
export const SHOWN_REVIEWS = 50;
export const SHOWN_FINDINGS = 20;
