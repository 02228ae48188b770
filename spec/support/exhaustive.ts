/**
 * Whether specs try every case. `npm test` tries a fixed sample where neighbouring cases are
 * alike; `.ci/more` sets `BOWLINE_EXHAUSTIVE=1`, and then every case is tried.
 */
export const isExhaustive: boolean = process.env["BOWLINE_EXHAUSTIVE"] === "1";
