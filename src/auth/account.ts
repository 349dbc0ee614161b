/** Who is calling: the built-in administrator (id 0, username `admin`) or a row of users. */
export type Account = {
  id: number;
  username: string;
  role: "admin" | "user";
};
